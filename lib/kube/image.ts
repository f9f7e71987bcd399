/** A parsed image reference; members are undefined where the reference does not state them. */
interface ImageReference {
  registry: string | undefined;
  /** Path within the registry. */
  repository: string;
  tag: string | undefined;
  /** With its algorithm: `sha256:…`. */
  digest: string | undefined;
}

const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?';
const REGISTRY = new RegExp(`^(?:\\[[0-9a-fA-F:]+\\]|${LABEL}(?:\\.${LABEL})*)(?::\\d+)?$`);
const COMPONENT = '[a-z0-9]+(?:(?:\\.|__?|-+)[a-z0-9]+)*';
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** A bare image id is no reference. */
const IDENTIFIER = /^[a-f0-9]{64}$/;
const NAME_LENGTH_MAX = 255;

/**
 * Parses an image reference by the grammar that the API server uses for its defaults; undefined if it does
 * not parse. https://github.com/distribution/reference/blob/main/reference.go
 */
export function parseImage(image: string): ImageReference | undefined {
  const at = image.indexOf('@');
  const digest = at === -1 ? undefined : image.slice(at + 1);
  const named = at === -1 ? image : image.slice(0, at);
  const colon = named.lastIndexOf(':');
  const hasTag = colon > named.lastIndexOf('/');
  const tag = hasTag ? named.slice(colon + 1) : undefined;
  const { registry, repository } = splitRegistry(hasTag ? named.slice(0, colon) : named);
  if (IDENTIFIER.test(image) || named.length > NAME_LENGTH_MAX + 129 || !REPOSITORY.test(repository))
    return undefined;
  if (registry !== undefined && !REGISTRY.test(registry)) return undefined;
  if (tag !== undefined && !TAG.test(tag)) return undefined;
  if (digest !== undefined && !DIGEST.test(digest)) return undefined;
  return { registry, repository, tag, digest };
}

function splitRegistry(name: string): { registry: string | undefined; repository: string } {
  const slash = name.indexOf('/');
  const first = name.slice(0, slash);
  const isRegistry = slash !== -1 && (/[.:A-Z]/.test(first) || first === 'localhost');
  return isRegistry
    ? { registry: first, repository: name.slice(slash + 1) }
    : { registry: undefined, repository: name };
}

/**
 * The tag to be pulled: `latest` when neither tag nor digest is stated, `''` for a digest alone or no
 * reference.
 */
export function effectiveTag(image: string): string {
  const reference = parseImage(image);
  if (reference === undefined) return '';
  return reference.tag ?? (reference.digest === undefined ? 'latest' : '');
}

/** Whether by convention the same reference may mean another image tomorrow: `latest`, or no tag at all. */
export function isMutableImage(image: string): boolean {
  return effectiveTag(image) === 'latest' && parseImage(image)?.digest === undefined;
}

/**
 * The short name: `checkout:2.19.0` for `registry.example/shop/checkout:2.19.0`; a digest is truncated to 12
 * digits.
 */
export function shortImage(image: string): string {
  const reference = parseImage(image);
  if (reference === undefined) return image;
  const name = reference.repository.slice(reference.repository.lastIndexOf('/') + 1);
  const version = imageVersion(image);
  return version === '' ? name : reference.tag === undefined ? `${name}@${version}` : `${name}:${version}`;
}

/** Tag, else digest truncated to 12 digits, else `''`. */
export function imageVersion(image: string): string {
  const reference = parseImage(image);
  if (reference?.tag !== undefined) return reference.tag;
  return reference?.digest?.replace(/^(.*:.{12}).*$/, '$1') ?? '';
}
