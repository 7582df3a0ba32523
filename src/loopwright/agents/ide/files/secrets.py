"""Files that hold secrets by their name: no tool reads or writes them, whatever the model says."""

import re

SECRET_NAME = re.compile(
    r"""(?xis)
    \.env(\..+)? | .+\.env | \.envrc(\..+)? | .+\.tfvars(\.json)? | .+\.tfstate(\.backup)?
    | \.netrc | _netrc | \.pgpass | \.npmrc | \.pypirc | \.htpasswd | \.git-credentials
    | \.dockercfg | \.vault[-_]token | \.s3cfg | \.boto
    | id_(rsa|dsa|ecdsa|ed25519)(_.+)? | .+\.(pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc|gpg)
    | credentials(\.(json|ya?ml|toml|ini|txt))? | client_secret.*\.json | service[-_]account.*\.json
    | secrets?\.(json|ya?ml|toml|ini|txt|env) | \.secrets?
    """
)
"""Names of files, as tools of many makers have them."""
HARMLESS_NAME = re.compile(
    r"(?i)\.env(rc)?\.(example|sample|template|dist)|.+\.pub|public.*\.pem|cacert\.pem|ca-bundle.*"
)
"""Samples without a secret in them, and public keys."""
SECRET_FOLDERS = frozenset({".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".gcloud"})


def is_secret(parts: tuple[str, ...]) -> bool:
    """Whether a path, given by its names, is a file with secrets, or lies in a folder of them."""
    if any(part.casefold() in SECRET_FOLDERS for part in parts):
        return True
    name = parts[-1] if parts else ""
    return bool(SECRET_NAME.fullmatch(name)) and not HARMLESS_NAME.fullmatch(name)
