'use client';

import { useState } from 'react';
import { ClaimFacts } from '@/components/clusters/claim-facts';
import { acceptanceText, otherwiseText } from '@/components/clusters/claim-text';
import { Button } from '@/components/ui/button';
import { lazily } from '@/components/ui/lazily';
import { type ClusterItem, type ClusterRefusal } from '@/lib/api/cluster';

const AcceptDialog = lazily(async () => (await import('@/components/clusters/accept-dialog')).AcceptDialog);

/** What a cluster that is not read claims to be, what accepting that means, and who can. */
export function RefusedClaim({ item, refusal }: { item: ClusterItem; refusal: ClusterRefusal }) {
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
