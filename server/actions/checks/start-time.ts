import 'server-only';
import { formatCount } from '@/lib/format/text';
import { effectiveTag, parseImage, shortImage } from '@/lib/kube/image';
import type { JsonObject } from '@/lib/kube/json';
import { objectsAt, textAt } from '@/lib/kube/read';
import { finding, type Finding } from '@/lib/workloads/plan';
import { imagesOf } from '@/lib/workloads/template-facts';
import { volumeImagesOf } from '@/lib/workloads/references';
import type { Template } from '@/lib/history/workload';
import { type CheckedTemplate, type CheckInput, readAs } from '@/server/actions/checks/check';

/**
 * How long the pods that still run this revision took from creation to ready. Kubernetes proves no more than
 * that: the times of an earlier rollout are deleted with its pods. Pods that restarted tell nothing of their
 * first start.
 */
export function checkStartTime({ current }: CheckInput, { to }: CheckedTemplate): Finding[] {
  const { history, pods } = current;
  const seconds = pods.flatMap((pod) => {
    if (to === null || history.revisionOfPod.get(pod.uid)?.id !== to.id) return [];
    if (pod.readyAt === null || pod.restarts > 0) return [];
    const ms = Date.parse(pod.readyAt) - Date.parse(pod.createdAt);
    return Number.isFinite(ms) && ms >= 0 ? [Math.round(ms / 1000)] : [];
  });
  const [first] = seconds;
  if (first === undefined) return [];
  const longest = Math.max(...seconds);
  const message =
    seconds.length === 1
      ? `The pod of this revision became ready within ${longest} s.`
      : `The ${formatCount(seconds.length, 'pod')} of this revision became ready within ${longest} s.`;
  return [finding('info', 'start_time', message)];
}

const NODES_MAX = 500;

/**
 * How many nodes still have the images that do not run now. A kubelet reports its largest images only, so an
 * absence is no proof. https://kubernetes.io/docs/reference/node/node-status/
 */
export async function checkImages(input: CheckInput, { template }: CheckedTemplate): Promise<Finding[]> {
  const running = pulledImagesOf(input.current.currentTemplate);
  const images = [...pulledImagesOf(template)].filter((image) => !running.has(image));
  if (images.length === 0) return [];
  const list = await readAs(input, '/api/v1/nodes', { query: { limit: String(NODES_MAX) } });
  const nodes = objectsAt(list, 'items').map(namesOn);
  const reporting = nodes.filter((names) => names.size > 0);
  if (reporting.length === 0) return [];
  const isTruncated = (textAt(list, 'metadata', 'continue') ?? '') !== '';
  return images.map((image) => finding('info', 'image_on_nodes', describe(image, reporting, isTruncated)));
}

function pulledImagesOf(template: Template): Set<string> {
  return new Set([...imagesOf(template).map(({ image }) => image), ...volumeImagesOf(template)]);
}

function describe(image: string, nodes: readonly ReadonlySet<string>[], isTruncated: boolean): string {
  const key = keyOf(image);
  const withImage = nodes.filter((names) => names.has(key)).length;
  const total = `${isTruncated ? 'the first ' : ''}${formatCount(nodes.length, 'node')}`;
  if (withImage === 0)
    return `No node reports image ${shortImage(image)}: it must be pulled from the registry.`;
  if (withImage < nodes.length)
    return `Image ${shortImage(image)} is on ${withImage} of ${total}; the others must pull it.`;
  return `Image ${shortImage(image)} is already on ${nodes.length === 1 ? 'the node' : `all ${total}`}.`;
}

function namesOn(node: JsonObject): Set<string> {
  const names = objectsAt(node, 'status', 'images').flatMap(({ names: list }) =>
    Array.isArray(list) ? list : [],
  );
  return new Set(names.flatMap((name) => (typeof name === 'string' ? [keyOf(name)] : [])));
}

/** `nginx` and `docker.io/library/nginx:latest` are one image. */
function keyOf(image: string): string {
  const reference = parseImage(image);
  if (reference === undefined) return image;
  const { registry = 'docker.io', repository, digest } = reference;
  const path = registry === 'docker.io' && !repository.includes('/') ? `library/${repository}` : repository;
  return digest === undefined
    ? `${registry}/${path}:${effectiveTag(image)}`
    : `${registry}/${path}@${digest}`;
}
