import 'server-only';
import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';

/** The version of the documents that are written, as their member `v`. Those of the first version lack it. */
export const DOCUMENT_VERSION = 3;

/** The version of a parsed document that a newer Shiplog wrote; undefined for those that this one knows. */
export function newerVersionOf(document: unknown): number | undefined {
  const version = versionOf(document);
  return version > DOCUMENT_VERSION ? version : undefined;
}

/** What leads from one version of a document to the next, from the first version on. */
type Upgrades = readonly ((document: JsonObject) => JsonObject)[];

const recordUpgrades: Upgrades = [
  // The pods that a step removed and the progressive rollout behind a rollout were not recorded at first.
  ({ steps, release = null, ...record }) => ({
    ...record,
    release,
    steps: Array.isArray(steps) ? steps.map(withRemovedPods) : steps,
  }),
  // `release` became a word for several rollouts that belong together.
  ({ release = null, ...record }) => ({ ...record, progressiveRollout: release }),
];

const actionUpgrades: Upgrades = [
  // At first all actions were on workloads, and a rollback to what the cluster had.
  ({ action, ...archived }) => ({
    ...archived,
    action: isJsonObject(action)
      ? { toOrigin: null, toHash: null, step: null, rollout: null, ...action }
      : action,
  }),
  // `release` became a word for several rollouts, and a life an incarnation. Lines of the audit file have no version: it
  // may be done already.
  (archived) =>
    replaceMember(
      replaceMember(replaceMember(archived, 'action', withIncarnation), 'expectation', withRunId),
      'findings',
      withCodes,
    ),
];

/** A parsed document of a record in the present version; what is no document is left to the schema. */
export function upgradeRecord(document: unknown): unknown {
  return upgrade(document, recordUpgrades);
}

/** The same for the document of an action, and for a line of the audit file. */
export function upgradeAction(document: unknown): unknown {
  return upgrade(document, actionUpgrades);
}

function upgrade(document: unknown, upgrades: Upgrades): unknown {
  if (!isJsonObject(document)) return document;
  return upgrades.slice(versionOf(document) - 1).reduce((before, next) => next(before), document);
}

function versionOf(document: unknown): number {
  return isJsonObject(document) && typeof document.v === 'number' ? document.v : 1;
}

function withIncarnation(action: Json): Json {
  const isEarlier = isJsonObject(action) && action.toOrigin === 'earlierLife';
  return isEarlier ? { ...action, toOrigin: 'earlierIncarnation' } : action;
}

function withRunId(expectation: Json): Json {
  if (!isJsonObject(expectation) || !isJsonObject(expectation.goal)) return expectation;
  const { release = null, ...goal } = expectation.goal;
  return { ...expectation, goal: { runId: release, ...goal } };
}

function withCodes(findings: Json): Json {
  if (!Array.isArray(findings)) return findings;
  return findings.map((each) => (isJsonObject(each) ? replaceMember(each, 'code', withCode) : each));
}

function withCode(code: Json): Json {
  return typeof code === 'string' ? code.replace(/^(ends|continues)_release$/, '$1_rollout') : code;
}

function replaceMember(document: JsonObject, name: string, replace: (value: Json) => Json): JsonObject {
  const { [name]: value } = document;
  return value === undefined ? document : { ...document, [name]: replace(value) };
}

function withRemovedPods(step: Json): Json {
  return isJsonObject(step) ? { removed: [], ...step } : step;
}
