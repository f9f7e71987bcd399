import { imageVersion, shortenImage, withoutNeedlessDigests } from '@/lib/kube/image';

/** What distinguishes a revision from its neighbors: the version of its first image, or its name without one. */
export function versionOf(images: readonly { image: string }[]): string {
  const [first] = images;
  return first === undefined ? '' : versionText(first.image);
}

function versionText(image: string): string {
  return imageVersion(image) || shortenImage(image).name;
}

type Imaged = { images: readonly { image: string }[] };

/**
 * What distinguishes each of these revisions, in the order of their history, from its neighbors: the version
 * of its first image, and those of the other changed images where that one alone is the same for two
 * neighbors.
 */
export function versionsOf(revisions: readonly Imaged[]): string[] {
  const named = revisions.flatMap(({ images }) => images.map(({ image }) => image));
  const shown = withoutNeedlessDigests(named);
  const versions = new Map(named.map((image, at) => [image, versionText(shown[at] ?? image)]));
  const all = revisions.map(({ images }) => [
    ...new Set(images.map(({ image }) => versions.get(image) ?? '')),
  ]);
  const first = all.map(([version]) => version ?? '');
  const isAmbiguous = all.some(
    (versions, at) => at > 0 && first[at] === first[at - 1] && String(versions) !== String(all[at - 1]),
  );
  if (!isAmbiguous) return first;
  const [oldest = [], ...others] = all;
  const common = new Set(oldest.filter((version) => others.every((versions) => versions.includes(version))));
  return all.map((versions) => versions.filter((version, at) => at === 0 || !common.has(version)).join(', '));
}
