import { isJsonObject, isRawNumber, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { numberAt, objectAt } from '@/lib/kube/read';
import type { TemplateLocation } from '@/lib/workloads/template-location';
import type { Template } from '@/lib/history/workload';

/**
 * What a revision of a LeaderWorkerSet records: both pod templates with their common settings, and the
 * network.
 */
export const groupTemplateLocation: TemplateLocation = {
  members: ['leaderWorkerTemplate', 'networkConfig'],
  of: ({ leaderWorkerTemplate, networkConfig }) =>
    isJsonObject(leaderWorkerTemplate)
      ? { leaderWorkerTemplate, ...(isJsonObject(networkConfig) && { networkConfig }) }
      : undefined,
  settings: (spec) => {
    const size = numberAt(spec, 'leaderWorkerTemplate', 'size');
    return size === undefined ? {} : { leaderWorkerTemplate: { size } };
  },
};

/**
 * The template in the data of a ControllerRevision; undefined when it holds something else. The directives of
 * its patch and the nulls that older clients wrote are not part of it.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/utils/revision/revision_utils.go (getPatch)
 */
export function recordedGroupTemplate(data: JsonObject | undefined): Template | undefined {
  const spec = objectAt(data, 'spec');
  const template = spec === undefined ? undefined : groupTemplateLocation.of(spec);
  return template === undefined ? undefined : cleanObject(template);
}

function cleanObject(object: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    if (key === '$patch' || value === null || value === undefined) continue;
    setMember(copy, key, clean(value));
  }
  return copy;
}

function clean(value: Json): Json {
  if (Array.isArray(value)) return value.map(clean);
  return typeof value === 'object' && value !== null && !isRawNumber(value) ? cleanObject(value) : value;
}
