import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { mapPodTemplates } from '@/lib/kube/pod-templates';
import { recordedGroupTemplate } from '@/lib/workloads/leader-worker-set/template';
import { type LeaderWorkerSetSpec } from '@/sandbox/controllers/leader-worker-set/leader-worker-set';
import { goJson } from '@/sandbox/controllers/revisions/go-json';
import { fnv1, safeEncode } from '@/sandbox/controllers/revisions/hash';

const NAME_BYTES_MAX = 220;

/**
 * The content of a revision of this spec, as the bytes that are hashed and compared. The controller writes it
 * from typed objects, so members without omitempty are empty; a network without configuration counts as
 * shared.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/revision/revision_utils.go (getPatch)
 */
export function revisionText({ leaderWorkerTemplate, networkConfig }: LeaderWorkerSetSpec): string {
  return textOf({
    leaderWorkerTemplate,
    networkConfig: { subdomainPolicy: 'Shared', ...networkConfig },
  });
}

/** The bytes that the controller would write today for the spec of a revision; undefined for other data. */
export function textOfRevision(data: JsonObject): string | undefined {
  const template = recordedGroupTemplate(data);
  return template === undefined ? undefined : textOf(template);
}

/** The hash of a revision's content. Unlike that of a StatefulSet it has no collision count. */
export function revisionKey(text: string): string {
  return safeEncode(String(fnv1(Buffer.from(text))));
}

export function revisionName(owner: string, text: string, revision: number): string {
  const prefix = Buffer.from(owner).subarray(0, NAME_BYTES_MAX).toString();
  return `${prefix}-${revisionKey(text)}-${revision}`;
}

function textOf(template: JsonObject): string {
  const { leaderWorkerTemplate, networkConfig } = mapPodTemplates(template, asTyped);
  return goJson({
    spec: {
      leaderWorkerTemplate: marked(leaderWorkerTemplate),
      networkConfig: marked(networkConfig),
    },
  });
}

function marked(member: Json | undefined): JsonObject {
  const members = Object.entries(isJsonObject(member) ? member : {}).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return { $patch: 'replace', ...Object.fromEntries(members) };
}

/** Of a pod template `metadata`, of its containers `resources` are never omitted. */
function asTyped(template: JsonObject): JsonObject {
  const spec = isJsonObject(template.spec) ? { ...template.spec } : {};
  for (const list of ['containers', 'initContainers']) {
    const containers = spec[list];
    if (Array.isArray(containers))
      spec[list] = containers.map((each) => (isJsonObject(each) ? { resources: {}, ...each } : each));
  }
  return { metadata: {}, ...template, spec };
}
