import { z } from 'zod';
import { actionAnswerSchema } from '@/lib/api/actions';
import { errorSchema, inCluster, nameSchema, resourceIdSchema } from '@/lib/api/common';

type Schema = z.core.$ZodType;
type Fields = z.ZodObject;

/** An endpoint of the HTTP API; its key in the table has the method and the path. */
export interface Route {
  readonly summary: string;
  /** The parameters of the path. */
  readonly path: Fields;
  readonly query: Fields;
  /** Undefined for a request that reads. */
  readonly body: Schema | undefined;
  readonly answer: Schema;
  /** Of the answer. */
  readonly mediaType: string;
  /** What status 200 means. */
  readonly success: string;
  /** What other statuses mean. */
  readonly failures: Readonly<Record<number, string>>;
  /** What they answer. */
  readonly failure: Schema;
}

const none = z.object({});

/** The query of an object that takes no other parameters. */
export const objectQuery = z.object(inCluster);

export const workloadPath = z.object({
  resource: resourceIdSchema,
  /** `-`: none. */
  namespace: z.union([nameSchema, z.literal('-')]),
  name: nameSchema,
});

const readFailures = {
  400: 'Malformed; names the field',
  401: 'Not signed in',
  403: 'Not allowed, with the reason of the API server',
  404: 'No such workload or revision',
  409: 'Ambiguous: several clusters have the object, or several revisions the number; `details.candidates` lists them',
  429: 'Too many requests; `Retry-After` says when to try again',
  503: 'The cluster is unreachable',
};
const actionFailures = {
  ...readFailures,
  409: 'Changed in the meantime; carries the current diff',
  422: 'Rejected, with the findings',
};
const reviewFailures = {
  ...readFailures,
  409: 'Another reviewer set a verdict meanwhile; `details.review` is the current one',
  413: 'Too long',
};

/** A read, with the parameters of its path and query where it has any. */
export function read<
  Answer extends Schema,
  Path extends Fields = typeof none,
  Query extends Fields = typeof none,
>(
  summary: string,
  answer: Answer,
  { path = none as Fields as Path, query = none as Fields as Query }: { path?: Path; query?: Query } = {},
) {
  return {
    summary,
    path,
    query,
    body: undefined,
    answer,
    mediaType: 'application/json',
    success: summary,
    failures: readFailures,
    failure: errorSchema,
  };
}

/** A write to the cluster, of which a dry run tells the plan. */
export function act<Body extends Schema, Path extends Fields = typeof workloadPath>(
  summary: string,
  body: Body,
  path = workloadPath as Fields as Path,
) {
  const success = 'Planned (dryRun) or accepted';
  return {
    ...read(summary, actionAnswerSchema, { path, query: objectQuery }),
    body,
    success,
    failures: actionFailures,
  };
}

/** A write to the archive. */
export function change<Body extends Schema, Answer extends Schema, Path extends Fields>(
  summary: string,
  body: Body,
  answer: Answer,
  path: Path,
) {
  return { ...read(summary, answer, { path }), body, success: 'Kept', failures: reviewFailures };
}
