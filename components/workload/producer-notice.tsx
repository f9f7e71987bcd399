import { Notice } from '@/components/ui/notice';
import { type WorkloadDetail } from '@/lib/api/workloads';

/** Who writes the revisions of a kind without specific support, and which conclusions they do not allow. */
export function ProducerNotice({ workload }: { workload: WorkloadDetail['workload'] }) {
  const { producer, standIn, kind } = workload;
  if (producer === undefined) return null;
  const title =
    producer.name === null
      ? 'Read by general rules.'
      : `These revisions are written by ${producer.name}, and read by general rules.`;
  return (
    <Notice tone={standIn === undefined ? 'info' : 'partial'} title={title} className="mt-3">
      <ul className="mt-0.5 list-disc pl-4">
        {producer.notes.map((note) => (
          <li key={note}>{note}</li>
        ))}
        <li>
          Shiplog keeps no records of the rollouts of a {kind}: its controller does not say in a way that
          Shiplog knows when one is over. What Kubernetes deletes is gone.
        </li>
      </ul>
    </Notice>
  );
}
