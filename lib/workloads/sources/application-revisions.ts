import { type KubeObject } from '@/lib/kube/object';
import { readRecordedBody } from '@/lib/workloads/application/body';
import { applicationRevisionResource } from '@/lib/workloads/application/resource';
import { type SourceKind } from '@/lib/workloads/kind';
import { objectAt, textAt } from '@/lib/kube/read';
import { readNumber } from '@/lib/workloads/sources/replica-sets';
import { type RevisionRun, type SourceNumber } from '@/lib/history/workload';

const NUMBERED = /-v(\d+)$/;

/**
 * ApplicationRevisions carry the revisions of Applications; the number is the end of the name, and the
 * content is often compressed.
 * https://github.com/kubevela/kubevela/blob/master/pkg/controller/core.oam.dev/v1beta1/application/revision.go
 */
export const applicationRevisions: SourceKind = {
  resource: applicationRevisionResource,
  templateOf: (source) => readRecordedBody(source.spec),
  numberOf,
  formerNumbersOf: () => [],
  ownsNumber: (fields) => objectAt(fields, 'f:spec') !== undefined,
  scaleOf: () => null,
  runOf,
};

function numberOf({ metadata: { name } }: KubeObject): SourceNumber {
  return readNumber(NUMBERED.exec(name)?.[1]);
}

function runOf({ status }: KubeObject): RevisionRun {
  const workflow = objectAt(status, 'workflow');
  return {
    state: stateOf(status?.succeeded === true, workflow),
    startedAt: textAt(workflow, 'startTime') ?? null,
    endedAt: textAt(workflow, 'endTime') ?? null,
  };
}

/** As in `vela revision list`: a workflow that has neither completed nor stopped has failed or continues. */
function stateOf(succeeded: boolean, workflow: ReturnType<typeof objectAt>): RevisionRun['state'] {
  if (succeeded) return 'succeeded';
  if (workflow === undefined) return 'notStarted';
  if (workflow.terminated === true) return 'terminated';
  if (workflow.suspend === true) return 'suspended';
  return workflow.finished === true ? 'failed' : 'running';
}
