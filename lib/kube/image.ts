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
  return effectiveTag(image) === 'latest' && !isPinned(image);
}

const DIGEST_LETTERS = 8;
const NAME_LENGTH_SHOWN_MAX = 80;

/** An image as people name it. */
interface ShortImage {
  /** Last part of the repository: `checkout`. */
  name: string;
  /** Distinguishes builds: `:2.19.0`, `@1f0c9a3b`, `:stable@1f0c9a3b`. Empty where the image states none. */
  version: string;
}

/** The only way in which an image is shortened; one that does not parse is its own name, bounded. */
export function shortenImage(image: string): ShortImage {
  const reference = parseImage(image);
  if (reference === undefined) return { name: image.slice(0, NAME_LENGTH_SHOWN_MAX), version: '' };
  const { repository, tag, digest } = reference;
  // With a digest the tag decides nothing: two images of one tag can be two builds.
  const build = digest === undefined ? '' : `@${digest.split(':')[1]?.slice(0, DIGEST_LETTERS)}`;
  const version = tag === undefined ? build : `:${tag}${build}`;
  return { name: repository.slice(repository.lastIndexOf('/') + 1), version };
}

/** `checkout:2.19.0` for `registry.example/shop/checkout:2.19.0`. */
export function shortImage(image: string): string {
  const { name, version } = shortenImage(image);
  return `${name}${version}`;
}

/** `2.19.0`, `@1f0c9a3b`, `stable@1f0c9a3b`; `''` where the image states none. */
export function imageVersion(image: string): string {
  return shortenImage(image).version.replace(/^:/, '');
}

/** The images without the digests that their tags make needless: where tags alone tell apart all that differ. */
export function withoutNeedlessDigests(images: readonly string[]): readonly string[] {
  const tagged = images.map((image) => image.replace(/(:\w[\w.-]*)@.*$/, '$1'));
  return new Set(tagged).size === new Set(images).size ? tagged : images;
}

/** Both images of a change, each with its digest where only one has it, or where the tag alone is the same. */
export function changedImages(before: string, after: string): readonly [string, string] {
  if (isPinned(before) !== isPinned(after)) return [before, after];
  const [a = before, b = after] = withoutNeedlessDigests([before, after]);
  return [a, b];
}

/** Whether a digest decides what runs. */
export function isPinned(image: string): boolean {
  return parseImage(image)?.digest !== undefined;
}
