/**
 * The outcome of a rollout. `rolledBack` and `superseded`: it ended before every pod ran the target, by a return to an
 * earlier template or by a new one; `superseded` also where its workload was deleted without its pods. `undone`: by
 * hand it was begun, and the owner of the workload put the template before back. `noPods`: at its end the workload was
 * scaled to zero, and no pod of it had run. `unknown`: not observed.
 */
// prettier-ignore
export const outcomes = ['completed', 'rolledBack', 'undone', 'superseded', 'failed', 'noPods', 'unknown'] as const;
export type Outcome = (typeof outcomes)[number];

/** `planned`: not begun. `skipped`: it never ran. */
export const stepOutcomes = ['planned', 'running', 'completed', 'abandoned', 'skipped', 'unknown'] as const;

/**
 * How a progressive rollout ended: as its rollout did, or cut short because its controller was disabled or
 * deleted, which rolls out the rest at once.
 */
export const progressiveResults = [...outcomes, 'disabled', 'deleted'] as const;

/** What a held rollout waits for: approval, pods to be deleted, a resume. */
export const spanWaits = ['approval', 'deletion', 'resume'] as const;

/** Parts of a record that need a permission of their own: to list pods, to list events, to read revisions. */
export const recordParts = ['pods', 'events', 'templates'] as const;
export type RecordPart = (typeof recordParts)[number];
