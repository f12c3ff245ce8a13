__all__ = ["folders"]

GROUP: str

def folders() -> list[str]: ...
