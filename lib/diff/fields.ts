import { POD_TEMPLATE_FIELDS } from '@/lib/diff/podtemplate-fields';
import { isApplicationBody } from '@/lib/kube/application-body';
import { type JsonObject } from '@/lib/kube/json';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { isGroupTemplate } from '@/lib/kube/pod-templates';

/**
 * The template of a LeaderWorkerSet, as its revisions record it, in the notation of the pod template's table; it uses
 * the structs of that one. https://github.com/kubernetes-sigs/lws/blob/main/api/leaderworkerset/v1/leaderworkerset_types.go
 */
const GROUP_TEMPLATE_FIELDS = `
GroupTemplate: leaderWorkerTemplate=LeaderWorkerTemplate networkConfig=GroupNetworkConfig
LeaderWorkerTemplate: leaderTemplate*PodTemplateSpec workerTemplate=PodTemplateSpec size* restartPolicy
  subGroupPolicy*SubGroupPolicy volumeClaimTemplates[]GroupVolumeClaim(metadata.name)
  persistentVolumeClaimRetentionPolicy*GroupClaimRetention
SubGroupPolicy: subGroupPolicyType* subGroupSize*
GroupNetworkConfig: subdomainPolicy*
GroupVolumeClaim: metadata=ObjectMeta spec=PersistentVolumeClaimSpec status=GroupClaimStatus
GroupClaimStatus: phase
GroupClaimRetention: whenDeleted whenScaled
`;

/**
 * What a revision of an Application records, in the notation of the pod template's table: only the keys of
 * its list entries. Properties are defined by definitions, and compared as they are.
 * https://kubevela.io/docs/core-concepts/application
 */
const APPLICATION_FIELDS = `
ApplicationRecord: application*OamApplication
OamApplication: components[]OamComponent(name) policies[]OamPolicy(name) workflow*OamWorkflow
OamComponent: name type traits[]OamTrait(type)
OamTrait: type
OamPolicy: name type
OamWorkflow: steps[]OamStep(name)
OamStep: name type subSteps[]OamStep(name)
`;

/**
 * How Kubernetes identifies the entries of a list, or how a reader may where Kubernetes replaces the entire
 * list.
 */
export interface ListKeys {
  /** `map`: by keys, `set`: by value, `atomic`: not at all (keys, if any, are for display). */
  kind: 'map' | 'set' | 'atomic';
  /** Field names, or dotted paths, within an entry; empty when none is known. */
  keys: readonly string[];
}

/** The type of one field. `nullable` marks a pointer in Go: absent differs from the zero value. */
export type Field =
  | { shape: 'scalar'; nullable: boolean }
  | { shape: 'intOrString' }
  | { shape: 'quantity'; nullable: boolean }
  | { shape: 'map'; of: 'string' | 'quantity' }
  | { shape: 'struct'; nullable: boolean; of: Struct }
  | { shape: 'list'; of: Struct | null; list: ListKeys }
  | { shape: 'opaque' };

/** A Go struct: its fields by JSON name. */
export interface Struct {
  name: string;
  fields: Map<string, Field>;
}

const STRUCTS = readStructs(
  POD_TEMPLATE_FIELDS.trimEnd() + GROUP_TEMPLATE_FIELDS.trimEnd() + APPLICATION_FIELDS,
);

/** The struct of a pod template: `metadata` and `spec`. */
export const POD_TEMPLATE: Struct = structNamed('PodTemplateSpec', STRUCTS);

/** The struct of a container, in either list of a pod. */
export const CONTAINER: Struct = structNamed('Container', STRUCTS);

/** The struct of the template of groups of pods: two pod templates and their common settings. */
export const GROUP_TEMPLATE: Struct = structNamed('GroupTemplate', STRUCTS);

/** The struct of what a revision of an Application records. */
const APPLICATION: Struct = structNamed('ApplicationRecord', STRUCTS);

/** No field is known of the data of an unknown controller. */
const RECORDED_DATA: Struct = { name: 'RecordedData', fields: new Map() };

/** The struct of what a revision records. */
export function rootOf(template: JsonObject): Struct {
  if (isRecordedData(template)) return RECORDED_DATA;
  if (isApplicationBody(template)) return APPLICATION;
  return isGroupTemplate(template) ? GROUP_TEMPLATE : POD_TEMPLATE;
}

function structNamed(name: string, structs: Map<string, Struct>): Struct {
  const struct = structs.get(name);
  if (struct === undefined) throw new Error(`the field table has no struct ${name}`);
  return struct;
}

function readStructs(table: string): Map<string, Struct> {
  const entries = table
    .trim()
    .split(/\n(?! )/)
    .map((entry) => entry.split(/:?\s+/));
  const structs = new Map(entries.map(([name = '']) => [name, { name, fields: new Map<string, Field>() }]));
  for (const [name = '', ...codes] of entries) {
    const { fields } = structNamed(name, structs);
    for (const code of codes) {
      if (code.startsWith('+')) {
        for (const inherited of structNamed(code.slice(1), structs).fields) fields.set(...inherited);
      } else {
        const [, field = '', type = ''] = /^(\w+)(.*)$/.exec(code) ?? [];
        fields.set(field, readField(type, structs));
      }
    }
  }
  return structs;
}

function readField(type: string, structs: Map<string, Struct>): Field {
  const [, prefix = '', name = '', suffix = ''] = /^([*=#?]|\[\]|\{%?\}|%)?(\w*)(.*)$/.exec(type) ?? [];
  const nullable = prefix === '*';
  switch (prefix) {
    case '[]':
      return {
        shape: 'list',
        of: name === '' ? null : structNamed(name, structs),
        list: readListKeys(suffix),
      };
    case '{}':
      return { shape: 'map', of: 'string' };
    case '{%}':
      return { shape: 'map', of: 'quantity' };
    case '#':
      return { shape: 'intOrString' };
    case '?':
      return { shape: 'opaque' };
    default:
      if (prefix === '%' || suffix === '%') return { shape: 'quantity', nullable };
      if (name === '') return { shape: 'scalar', nullable };
      return { shape: 'struct', nullable, of: structNamed(name, structs) };
  }
}

function readListKeys(suffix: string): ListKeys {
  const [, keys = ''] = /\((.*)\)/.exec(suffix) ?? [];
  const kind = suffix === '!' ? 'set' : suffix.startsWith('(') ? 'map' : 'atomic';
  return { kind, keys: keys === '' ? [] : keys.split(',') };
}
