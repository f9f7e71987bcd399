'use client';

import { useState } from 'react';
import { acceptanceText, holdersOf, otherwiseText } from '@/components/clusters/claim-text';
import { Button } from '@/components/ui/button';
import { Fact, Facts } from '@/components/ui/facts';
import { lazily } from '@/components/ui/lazily';
import { type ClusterItem, type Refusal } from '@/lib/api/cluster';

const AcceptDialog = lazily(async () => (await import('@/components/clusters/accept-dialog')).AcceptDialog);

/** What a cluster that is not read claims to be, what accepting that means, and who can. */
export function RefusedClaim({ item, refusal }: { item: ClusterItem; refusal: Refusal }) {
  const [isOpen, setOpen] = useState(false);
  const { name, title, acceptDenied } = item;
  return (
    <>
      <ClaimFacts refusal={refusal} server={item.server} />
      <p className="max-w-[100ch] pt-2.5 text-ink-2">
        {acceptanceText(name, refusal)} {otherwiseText(refusal)}
      </p>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5 pt-2">
        <Button disabledReason={acceptDenied} onClick={() => setOpen(true)} aria-haspopup="dialog">
          Accept {title}…
        </Button>
        {acceptDenied !== null && (
          <p className="min-w-0 flex-1 basis-60 text-small text-ink-3 [overflow-wrap:anywhere]">
            {acceptDenied}
          </p>
        )}
      </div>
      {isOpen && <AcceptDialog item={item} refusal={refusal} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The ids and whose they are, and where the entry leads. */
export function ClaimFacts({ refusal, server }: { refusal: Refusal; server: string }) {
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
        <Fact label="Id before" wide>
          <span className="literal [overflow-wrap:anywhere]">{formerId}</span>
        </Fact>
      )}
    </Facts>
  );
}
