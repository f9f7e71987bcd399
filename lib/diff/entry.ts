import { canonicalJson, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';

/** Text by which a list entry is told from the others, by its key fields (dotted paths). */
export function keyOf(keys: readonly string[], entry: Json): string {
  const [key = '', ...others] = keys;
  const name = others.length === 0 ? memberOf(entry, key) : undefined;
  if (typeof name === 'string') return `"${name}`;
  return canonicalJson(isJsonObject(entry) ? keys.map((key) => valueAt(entry, key) ?? null) : entry);
}

/** What people call an entry of a list of the given Go struct; undefined if it has nothing like a name. */
export function entryName(struct: string | null, entry: Json): string | undefined {
  if (!isJsonObject(entry)) return typeof entry === 'object' ? undefined : String(entry);
  switch (struct) {
    case 'ContainerPort':
      return `${wordOf(entry.containerPort)}/${wordOf(entry.protocol)}`;
    case 'VolumeMount':
      return wordOf(entry.mountPath);
    case 'VolumeDevice':
      return wordOf(entry.devicePath);
    case 'TopologySpreadConstraint':
      return `${wordOf(entry.topologyKey)}, ${wordOf(entry.whenUnsatisfiable)}`;
    case 'HostAlias':
      return wordOf(entry.ip);
    case 'EnvFromSource':
      return envFromName(entry);
    case 'Toleration':
      return tolerationName(entry);
    case 'PodReadinessGate':
      return wordOf(entry.conditionType);
    case 'ContainerResizePolicy':
      return wordOf(entry.resourceName);
    case 'KeyToPath':
    case 'DownwardAPIVolumeFile':
      return wordOf(entry.path);
    case 'GroupVolumeClaim':
      return wordOf(isJsonObject(entry.metadata) ? entry.metadata.name : undefined);
    case 'OwnerReference':
      return wordOf(entry.uid);
    default:
      return [entry.name, entry.key, entry.type, entry.mountPath].find((name) => typeof name === 'string');
  }
}

function envFromName(entry: JsonObject): string {
  const prefix = entry.prefix === undefined ? '' : ` as ${wordOf(entry.prefix)}*`;
  if (isJsonObject(entry.secretRef)) return `Secret ${wordOf(entry.secretRef.name)}${prefix}`;
  if (isJsonObject(entry.configMapRef)) return `ConfigMap ${wordOf(entry.configMapRef.name)}${prefix}`;
  return `source${prefix}`;
}

/** As `kubectl taint` writes it: `dedicated=gpu:NoSchedule`. */
function tolerationName(entry: JsonObject): string {
  const key = entry.key === undefined ? 'every taint' : wordOf(entry.key);
  const value = entry.value === undefined ? '' : `=${wordOf(entry.value)}`;
  return `${key}${value}${entry.effect === undefined ? '' : `:${wordOf(entry.effect)}`}`;
}

function valueAt(entry: Json, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>(memberOf, entry);
}

/** A value inside a sentence: text as it is, anything else as JSON, nothing for nothing. */
export function wordOf(value: Json | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : canonicalJson(value);
}
