import { Notice } from '@/components/ui/notice';
import type { WorkloadDetail } from '@/lib/api/workloads';

/** Who writes the revisions of a kind without specific support, and which conclusions they do not allow. */
export function ProducerNotice({ workload }: { workload: WorkloadDetail['workload'] }) {
  const { producer, placeholder, kind } = workload;
  if (producer === undefined) return null;
  const basic = `Basic support: Shiplog does not know how a ${kind} rolls out.`;
  const title = producer.name === null ? basic : `These revisions are created by ${producer.name}. ${basic}`;
  return (
    <Notice tone={placeholder === undefined ? 'info' : 'partial'} title={title} className="mt-3">
      <ul className="mt-0.5 list-disc pl-4">
        {producer.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
        <li>
          Shiplog does not record the rollouts of a {kind}, because it cannot detect when one completes.
          Revisions that the cluster prunes are not archived.
        </li>
      </ul>
    </Notice>
  );
}
