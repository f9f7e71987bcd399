import { canonicalJson, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';

/** Text that identifies a list entry, by its key fields (dotted paths). */
export function entryKey(keys: readonly string[], entry: Json): string {
  const [key = '', ...others] = keys;
  const name = others.length === 0 ? memberOf(entry, key) : undefined;
  if (typeof name === 'string') return `"${name}`;
  return canonicalJson(isJsonObject(entry) ? keys.map((key) => valueAt(entry, key) ?? null) : entry);
}

/** The common name of an entry of a list of the given Go struct; undefined if it has nothing like a name. */
export function entryName(struct: string | null, entry: Json): string | undefined {
  if (!isJsonObject(entry)) return typeof entry === 'object' ? undefined : String(entry);
  switch (struct) {
    case 'ContainerPort':
      return `${inlineText(entry.containerPort)}/${inlineText(entry.protocol)}`;
    case 'VolumeMount':
      return inlineText(entry.mountPath);
    case 'VolumeDevice':
      return inlineText(entry.devicePath);
    case 'TopologySpreadConstraint':
      return `${inlineText(entry.topologyKey)}, ${inlineText(entry.whenUnsatisfiable)}`;
    case 'HostAlias':
      return inlineText(entry.ip);
    case 'EnvFromSource':
      return envFromName(entry);
    case 'Toleration':
      return tolerationName(entry);
    case 'PodReadinessGate':
      return inlineText(entry.conditionType);
    case 'ContainerResizePolicy':
      return inlineText(entry.resourceName);
    case 'KeyToPath':
    case 'DownwardAPIVolumeFile':
      return inlineText(entry.path);
    case 'GroupVolumeClaim':
      return inlineText(isJsonObject(entry.metadata) ? entry.metadata.name : undefined);
    case 'OwnerReference':
      return inlineText(entry.uid);
    default:
      return [entry.name, entry.key, entry.type, entry.mountPath].find((name) => typeof name === 'string');
  }
}

function envFromName(entry: JsonObject): string {
  const prefix = entry.prefix === undefined ? '' : ` as ${inlineText(entry.prefix)}*`;
  if (isJsonObject(entry.secretRef)) return `Secret ${inlineText(entry.secretRef.name)}${prefix}`;
  if (isJsonObject(entry.configMapRef)) return `ConfigMap ${inlineText(entry.configMapRef.name)}${prefix}`;
  return `source${prefix}`;
}

/** As `kubectl taint` writes it: `dedicated=gpu:NoSchedule`. */
function tolerationName(entry: JsonObject): string {
  const key = entry.key === undefined ? 'every taint' : inlineText(entry.key);
  const value = entry.value === undefined ? '' : `=${inlineText(entry.value)}`;
  return `${key}${value}${entry.effect === undefined ? '' : `:${inlineText(entry.effect)}`}`;
}

function valueAt(entry: Json, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>(memberOf, entry);
}

/** A value inside a sentence: text as it is, anything else as JSON, an empty text for none. */
export function inlineText(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : canonicalJson(value);
}
