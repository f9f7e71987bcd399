import { parseImage } from '@/lib/kube/image';

interface ImageName {
  /** Last part of the repository: `checkout`. */
  name: string;
  /** Distinguishes builds, with its separator: `:2.19.0` or `@1f0c9a3b`. Empty where there is none. */
  version: string;
}

const DIGEST_LETTERS = 8;
const TEXT_LENGTH_MAX = 80;

/** A short image for a column; one that does not parse is returned as it is, bounded. */
export function shortImageName(image: string): ImageName {
  const reference = parseImage(image);
  if (reference === undefined) return { name: image.slice(0, TEXT_LENGTH_MAX), version: '' };
  const name = reference.repository.split('/').at(-1) ?? reference.repository;
  if (reference.tag !== undefined) return { name, version: `:${reference.tag}` };
  const digest = reference.digest?.split(':')[1];
  return { name, version: digest === undefined ? '' : `@${digest.slice(0, DIGEST_LETTERS)}` };
}

/** What distinguishes a revision from its neighbors: tag or digest of its first image, without the separator. */
export function versionOf(images: readonly { image: string }[]): string {
  const [first] = images;
  if (first === undefined) return '';
  const { name, version } = shortImageName(first.image);
  return version === '' ? name : version.slice(1);
}

type Imaged = { images: readonly { image: string }[] };

/**
 * What distinguishes each of these revisions, in the order of their history, from its neighbors: the version
 * of its first image, and those of the other changed images where that one alone is the same for two
 * neighbors.
 */
export function versionsOf(revisions: readonly Imaged[]): string[] {
  const all = revisions.map(({ images }) => [...new Set(images.map((image) => versionOf([image])))]);
  const first = all.map(([version]) => version ?? '');
  const isAmbiguous = all.some(
    (versions, at) => at > 0 && first[at] === first[at - 1] && String(versions) !== String(all[at - 1]),
  );
  if (!isAmbiguous) return first;
  const [oldest = [], ...others] = all;
  const common = new Set(oldest.filter((version) => others.every((versions) => versions.includes(version))));
  return all.map((versions) => versions.filter((version, at) => at === 0 || !common.has(version)).join(', '));
}
