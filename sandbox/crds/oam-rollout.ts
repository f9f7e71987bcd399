import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type JsonObject } from '@/lib/kube/json';

/** The definition that Shiplog's own controller is installed with. */
export function oamRolloutCrd(): JsonObject {
  const file = new URL('../../deploy/oam-rollout/rollouts.yaml', import.meta.url);
  return parse(readFileSync(file, 'utf8')) as JsonObject;
}
