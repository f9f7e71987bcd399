import { gunzipSync, gzipSync, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { parseJson, stringifyGo } from '@/lib/kube/json';
import { type RevisionSpec } from '@/sandbox/controllers/kubevela/application';

export type Compression = 'gzip' | 'zstd';

/** Far above the size limit of an object in etcd. */
const BYTES_MAX = 32 * 1024 * 1024;

/**
 * A revision as KubeVela stores it: all its fields in one text, and an empty Application.
 * https://github.com/kubevela/kubevela/blob/master/apis/core.oam.dev/v1beta1/applicationrevision_types.go
 */
export function pack({ compression: _, ...fields }: RevisionSpec, type: Compression): RevisionSpec {
  const text = Buffer.from(stringifyGo(fields));
  const data = type === 'gzip' ? gzipSync(text) : zstdCompressSync(text);
  return {
    application: { metadata: {}, spec: { components: [] }, status: {} },
    compression: { type, data: data.toString('base64') },
  };
}

/** The fields, compressed or not. Throws on text that is not compressed this way. */
export function unpack(spec: RevisionSpec): RevisionSpec {
  const { type = '', data = '' } = spec.compression ?? {};
  if (type === '') return spec;
  const bytes = Buffer.from(data, 'base64');
  const inflate = type === 'gzip' ? gunzipSync : zstdDecompressSync;
  return parseJson(inflate(bytes, { maxOutputLength: BYTES_MAX }).toString('utf8')) as RevisionSpec;
}
