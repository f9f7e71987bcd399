import { holdersOf } from '@/components/clusters/claim-text';
import { Fact, Facts } from '@/components/ui/facts';
import type { ClusterRefusal } from '@/lib/api/cluster';

/** The ids and whose they are, and where the entry leads. */
export function ClaimFacts({ refusal, server }: { refusal: ClusterRefusal; server: string }) {
  const holders = holdersOf(refusal);
  const formerId = refusal.kind === 'contested' ? null : refusal.formerId;
  return (
    <Facts>
      <Fact label="Claimed id" wide>
        <span className="literal [overflow-wrap:anywhere]">{refusal.id}</span>
      </Fact>
      <Fact label="API server" wide>
        <span className="literal [overflow-wrap:anywhere]">{server}</span>
      </Fact>
      {holders !== null && (
        <Fact label={refusal.kind === 'claimed' ? 'Belongs to' : 'Also claimed by'}>{holders}</Fact>
      )}
      {formerId !== null && (
        <Fact label="Previous id" wide>
          <span className="literal [overflow-wrap:anywhere]">{formerId}</span>
        </Fact>
      )}
    </Facts>
  );
}
