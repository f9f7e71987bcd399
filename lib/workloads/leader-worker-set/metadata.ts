/**
 * Labels and annotations of the objects of a LeaderWorkerSet. Their domain is not the group of the API.
 * https://lws.sigs.k8s.io/docs/reference/labels-annotations-and-environment-variables/
 */
const DOMAIN = 'leaderworkerset.sigs.k8s.io';

export const NAME = `${DOMAIN}/name`;
/** The revision key: on revisions, StatefulSets and pods. */
export const REVISION_KEY = `${DOMAIN}/template-revision-hash`;
export const GROUP_INDEX = `${DOMAIN}/group-index`;
/** `0` for the leader. */
export const WORKER_INDEX = `${DOMAIN}/worker-index`;
/** Annotation of a pod: the number of pods in its group. */
export const GROUP_SIZE = `${DOMAIN}/size`;

export const podMetadataKeys: readonly string[] = [NAME, REVISION_KEY, GROUP_INDEX, WORKER_INDEX, GROUP_SIZE];

/** Versions before 0.5 named templates by a SHA-1 and recorded no revisions. */
export function isOldKey(key: string): boolean {
  return /^[0-9a-f]{40}$/.test(key);
}
