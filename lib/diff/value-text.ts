import { entryName, inlineText } from '@/lib/diff/entry';
import { CONTAINER_TYPE } from '@/lib/diff/walk';
import { fieldLabel } from '@/lib/diff/field-name-text';
import { changedImages, parseImage, shortImage } from '@/lib/kube/image';
import { canonicalJson, isJsonObject, type Json, type JsonObject, isEmptyObject } from '@/lib/kube/json';

/** Longest text of a value; code that needs all of it has the value. */
const TEXT_LENGTH_MAX = 400;
/** How much is shown before the first difference of two long texts. */
const LEAD_LENGTH = 40;
const MASK = /\[masked:[0-9a-f]{8}\]/g;

/**
 * A value as a person would write it. `struct` is the Go struct of the value if it has one, `field` the JSON
 * name of the field that holds it, which distinguishes seconds and file modes from other numbers.
 */
export function valueText(struct: string | null, field: string, value: Json): string {
  if (Array.isArray(value)) return listText(field, value);
  if (!isJsonObject(value)) return scalarText(field, value);
  const text = isEmptyObject(value) ? 'empty' : structText(struct, value);
  return text ?? canonicalJson(value);
}

/** Two texts for display side by side: distinct where their texts are the same, never unmasked, and short. */
export function pairOfTexts(before: string, after: string, values: readonly [Json, Json]): [string, string] {
  const [a, b] = before === after ? [canonicalJson(values[0]), canonicalJson(values[1])] : [before, after];
  const [shownA, shownB] = [hideMarkers(a), hideMarkers(b)];
  if (shownA === shownB) return [clip(shownA), 'value changed (masked)'];
  if (shownA.length <= TEXT_LENGTH_MAX && shownB.length <= TEXT_LENGTH_MAX) return [shownA, shownB];
  const start = Math.max(0, firstDifference(shownA, shownB) - LEAD_LENGTH);
  return [clip(shownA, start), clip(shownB, start)];
}

/** Short names of two images where those differ, else undefined. */
export function imageTexts(before: Json, after: Json): [string, string] | undefined {
  if (typeof before !== 'string' || typeof after !== 'string') return undefined;
  const [a, b] = [parseImage(before), parseImage(after)];
  const isSamePlace = a !== undefined && a.registry === b?.registry && a.repository === b?.repository;
  if (!isSamePlace) return undefined;
  const [was, is] = changedImages(before, after);
  return [shortImage(was), shortImage(is)];
}

/** One text for display: of a masked value nothing is revealed. */
export function singleText(text: string): string {
  return clip(hideMarkers(text));
}

function hideMarkers(text: string): string {
  return text.replace(MASK, '[masked]');
}

function firstDifference(a: string, b: string): number {
  let index = 0;
  while (index < a.length && a[index] === b[index]) index += 1;
  return index;
}

function structText(struct: string | null, value: JsonObject): string | undefined {
  switch (struct) {
    case 'Container':
    case 'EphemeralContainer':
      return typeof value.image === 'string' ? shortImage(value.image) : 'no image';
    case CONTAINER_TYPE:
      return value.list === 'containers' ? 'container' : 'native sidecar';
    case 'Probe':
      return probeText(value);
    case 'LifecycleHandler':
      return handlerText(value);
    case 'EnvVar':
      return envText(value);
    case 'Volume':
      return volumeText(value);
    case 'VolumeMount':
      return mountText(value);
    case 'VolumeDevice':
      return `volume ${inlineText(value.name)}`;
    case 'ContainerPort':
      return portText(value);
    case 'Toleration':
      return tolerationText(value);
    case 'EnvFromSource':
      return `${entryName(struct, value)}${isOptional(value.secretRef, value.configMapRef) ? ', optional' : ''}`;
    case 'TopologySpreadConstraint':
      return `max skew ${inlineText(value.maxSkew)}${value.whenUnsatisfiable === 'ScheduleAnyway' ? ', ScheduleAnyway' : ''}`;
    case 'HostAlias':
      return Array.isArray(value.hostnames) ? value.hostnames.map(inlineText).join(', ') : undefined;
    case 'SeccompProfile':
    case 'AppArmorProfile':
      return [value.type, value.localhostProfile].map(inlineText).filter(Boolean).join(' ');
    case 'LabelSelector':
    case 'NodeSelectorTerm':
      return selectorText(value);
    case 'PreferredSchedulingTerm':
      return `${isJsonObject(value.preference) ? selectorText(value.preference) : 'any node'}, weight ${inlineText(value.weight)}`;
    case 'PodAffinityTerm':
      return affinityText(value);
    case 'WeightedPodAffinityTerm':
      return `${isJsonObject(value.podAffinityTerm) ? affinityText(value.podAffinityTerm) : 'any pod'}, weight ${inlineText(value.weight)}`;
    case 'HTTPHeader':
    case 'Sysctl':
    case 'PodDNSConfigOption':
      return inlineText(value.value);
    case 'ContainerResizePolicy':
      return inlineText(value.restartPolicy);
    case 'LocalObjectReference':
      return inlineText(value.name);
    default:
      return undefined;
  }
}

/** `GET /healthz every 10 s, fails after 3`. */
function probeText(probe: JsonObject): string {
  const delay =
    probe.initialDelaySeconds === undefined
      ? ''
      : `, initial delay ${inlineText(probe.initialDelaySeconds)} s`;
  const every = `every ${inlineText(probe.periodSeconds)} s, fails after ${inlineText(probe.failureThreshold)}`;
  return `${handlerText(probe) ?? 'no check'} ${every}${delay}`;
}

function handlerText(handler: JsonObject): string | undefined {
  const { exec, httpGet, tcpSocket, grpc, sleep } = handler;
  if (isJsonObject(httpGet))
    return `${httpGet.scheme === 'HTTPS' ? 'HTTPS ' : ''}GET ${inlineText(httpGet.path)}`;
  if (isJsonObject(tcpSocket)) return `TCP ${inlineText(tcpSocket.port)}`;
  if (isJsonObject(grpc))
    return ['gRPC', inlineText(grpc.port), inlineText(grpc.service)].filter(Boolean).join(' ');
  if (isJsonObject(exec)) return `runs ${valueText(null, 'command', exec.command ?? [])}`;
  if (isJsonObject(sleep)) return `sleeps ${inlineText(sleep.seconds ?? 0)} s`;
  return undefined;
}

/** The literal value, or its source: `from Secret db key password`. */
function envText(env: JsonObject): string {
  const source = env.valueFrom;
  if (!isJsonObject(source)) return env.value === undefined ? 'empty' : inlineText(env.value);
  const { secretKeyRef, configMapKeyRef, fieldRef, resourceFieldRef, fileKeyRef } = source;
  const optional = isOptional(secretKeyRef, configMapKeyRef, fileKeyRef) ? ', optional' : '';
  if (isJsonObject(secretKeyRef)) return `from Secret ${keyText(secretKeyRef)}${optional}`;
  if (isJsonObject(configMapKeyRef)) return `from ConfigMap ${keyText(configMapKeyRef)}${optional}`;
  if (isJsonObject(fieldRef)) return `from field ${inlineText(fieldRef.fieldPath)}`;
  if (isJsonObject(fileKeyRef)) {
    return `from file ${inlineText(fileKeyRef.path)} of volume ${inlineText(fileKeyRef.volumeName)} key ${inlineText(fileKeyRef.key)}${optional}`;
  }
  if (!isJsonObject(resourceFieldRef)) return `from ${canonicalJson(source)}`;
  const container =
    resourceFieldRef.containerName === undefined ? '' : ` of ${inlineText(resourceFieldRef.containerName)}`;
  const divisor =
    resourceFieldRef.divisor === undefined ? '' : ` in units of ${inlineText(resourceFieldRef.divisor)}`;
  return `from resource ${inlineText(resourceFieldRef.resource)}${container}${divisor}`;
}

function keyText(reference: JsonObject): string {
  return `${inlineText(reference.name)} key ${inlineText(reference.key)}`;
}

function isOptional(...references: (Json | undefined)[]): boolean {
  return references.some((reference) => isJsonObject(reference) && reference.optional === true);
}

function volumeText(volume: JsonObject): string {
  const {
    configMap,
    secret,
    persistentVolumeClaim: claim,
    hostPath,
    emptyDir,
    csi,
    image,
    nfs,
    projected,
  } = volume;
  if (isJsonObject(configMap)) return `ConfigMap ${inlineText(configMap.name)}`;
  if (isJsonObject(secret)) return `Secret ${inlineText(secret.secretName)}`;
  if (isJsonObject(claim))
    return `claim ${inlineText(claim.claimName)}${claim.readOnly === true ? ', read-only' : ''}`;
  if (isJsonObject(hostPath)) return `host path ${inlineText(hostPath.path)}`;
  if (isJsonObject(csi)) return `CSI ${inlineText(csi.driver)}`;
  if (isJsonObject(image)) return `image ${shortImage(inlineText(image.reference))}`;
  if (isJsonObject(nfs)) return `NFS ${inlineText(nfs.server)}:${inlineText(nfs.path)}`;
  if (isJsonObject(projected)) return 'projected';
  if (isJsonObject(emptyDir)) {
    const limits = [
      emptyDir.medium === 'Memory' ? 'in memory' : '',
      emptyDir.sizeLimit === undefined ? '' : `up to ${inlineText(emptyDir.sizeLimit)}`,
    ];
    return ['empty directory', ...limits.filter(Boolean)].join(', ');
  }
  return Object.keys(volume)
    .filter((key) => key !== 'name')
    .map(fieldLabel)
    .join(', ');
}

function mountText(mount: JsonObject): string {
  const path = mount.subPath ?? mount.subPathExpr;
  const flags = [
    path === undefined ? '' : `path ${inlineText(path)}`,
    mount.readOnly === true ? 'read-only' : '',
    mount.mountPropagation === undefined || mount.mountPropagation === 'None'
      ? ''
      : inlineText(mount.mountPropagation),
  ];
  return [`volume ${inlineText(mount.name)}`, ...flags.filter(Boolean)].join(', ');
}

function portText(port: JsonObject): string {
  const parts = [
    `${inlineText(port.containerPort)}/${inlineText(port.protocol)}`,
    port.name === undefined ? '' : `named ${inlineText(port.name)}`,
    port.hostPort === undefined ? '' : `host port ${inlineText(port.hostPort)}`,
    port.hostIP === undefined ? '' : `on ${inlineText(port.hostIP)}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function tolerationText(toleration: JsonObject): string {
  const seconds = toleration.tolerationSeconds;
  return `${entryName('Toleration', toleration)}${seconds === undefined ? '' : ` for ${inlineText(seconds)} s`}`;
}

/** `zone in (a, b), app = cart`. */
function selectorText(selector: JsonObject): string {
  const labels = isJsonObject(selector.matchLabels) ? Object.entries(selector.matchLabels) : [];
  const rules = [selector.matchExpressions, selector.matchFields].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  const parts = [...labels.map(([key, value]) => `${key} = ${inlineText(value)}`), ...rules.map(ruleText)];
  return parts.length === 0 ? 'everything' : parts.join(', ');
}

function ruleText(rule: Json): string {
  if (!isJsonObject(rule)) return inlineText(rule);
  const values = Array.isArray(rule.values) ? ` (${rule.values.map(inlineText).join(', ')})` : '';
  return `${inlineText(rule.key)} ${fieldLabel(inlineText(rule.operator))}${values}`;
}

function affinityText(term: JsonObject): string {
  const pods = isJsonObject(term.labelSelector) ? selectorText(term.labelSelector) : 'no pod';
  return `${pods} per ${inlineText(term.topologyKey)}`;
}

function scalarText(field: string, value: Json): string {
  if (value === '') return 'empty';
  if (typeof value === 'number' && /Seconds$|^seconds$/.test(field)) return `${value} s`;
  if (typeof value === 'number' && /^(defaultMode|mode)$/.test(field)) return `0${value.toString(8)}`;
  return inlineText(value);
}

function listText(field: string, list: Json[]): string {
  if (list.length === 0) return 'empty';
  const isCommand = field === 'command' || field === 'args';
  return list
    .map((item) => (isCommand ? quoteForShell(inlineText(item)) : inlineText(item)))
    .join(isCommand ? ' ' : ', ');
}

function quoteForShell(word: string): string {
  return /^[\w@%+=:,./[\]-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function clip(text: string, start = 0): string {
  const end = start + TEXT_LENGTH_MAX - 1;
  return `${start > 0 ? '…' : ''}${text.slice(start, end)}${text.length > end ? '…' : ''}`;
}
