"""Tank gunnery with a d20: actions of crews, charts for hitting and penetration, hits by location."""
