"""Files that hold secrets by their name: no tool reads or writes them, whatever the model says."""

import re

SECRET_NAME = re.compile(
    r"""(?xis)
    \.env([._-].+)? | .+\.env | \.envrc(\..+)? | .+\.tfvars(\.json)? | .+\.tfstate(\.backup)?
    | \.netrc | _netrc | \.pgpass | \.npmrc | \.pypirc | \.htpasswd | \.git-credentials
    | \.dockercfg | \.vault[-_]token | \.s3cfg | \.boto
    | id_(rsa|dsa|ecdsa|ed25519)(_.+)? | .+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)
    | (.+[-_])?credentials(\.(json|ya?ml|toml|ini|txt|tfrc\.json))? | client_secret.*\.json | service[-_]account.*\.json
    | kubeconfig(\..+)? | .+\.kubeconfig | \.my(login)?\.cnf | \.terraformrc | \.databrickscfg | \.sentryclirc
    | rclone\.conf | token\.json | wallet\.dat | service[-_]principal.*\.json
    | secrets?\.(json|ya?ml|toml|ini|txt|env) | \.secrets?
    """
)
"""Names of files, as tools of many makers have them."""
HARMLESS_NAME = re.compile(
    r"(?i)\.env(rc)?\.(example|sample|template|dist)|.+\.pub|public.*\.pem|cacert\.pem|ca-bundle.*"
)
"""Samples without a secret in them, and public keys."""
SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"})
SECRET_PLACES = frozenset({("gh", "hosts.yml"), (".codex", "auth.json"), (".composer", "auth.json")})
"""Names that are secret in one folder, and mean something else in others."""
LEFT_BY_COPYING = re.compile(
    r"(?i)(~|\#|[._-](bak|backup|old|orig|save|copy|tmp|sw[a-p]|\d+)|[ ]copy([ ]\d+)?|[ ]\(\d+\))+$"
)
"""What editors, tools and people put behind the name of a file when they keep a copy."""


def is_secret(parts: tuple[str, ...]) -> bool:
    """Whether a path, given by its names, is a file with secrets or a copy of one, or lies in a folder of them."""
    if any(part.casefold() in SECRET_FOLDERS for part in parts) or parts[-2:] in SECRET_PLACES:
        return True
    name = parts[-1] if parts else ""
    original = LEFT_BY_COPYING.sub("", name).lstrip("#") or name
    names = (name, original)
    return any(map(SECRET_NAME.fullmatch, names)) and not any(map(HARMLESS_NAME.fullmatch, names))
