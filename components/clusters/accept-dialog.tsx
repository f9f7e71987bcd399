'use client';

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { ClaimFacts } from '@/components/clusters/claim-facts';
import { acceptanceText } from '@/components/clusters/claim-text';
import { apiFetch } from '@/components/queries/client';
import { clustersQuery, rememberClusters } from '@/components/queries/cluster';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions, DialogSection } from '@/components/ui/dialog';
import { Notice } from '@/components/ui/notice';
import { showToast } from '@/components/ui/toast';
import type { ClusterItem, ClusterRefusal } from '@/lib/api/cluster';
import { messageOf } from '@/lib/errors';

/** Asks once more, with what the person saw: something else may be claimed by the time that they answer. */
export function AcceptDialog({
  item: { name, title, server },
  refusal,
  onClose,
}: {
  item: ClusterItem;
  refusal: ClusterRefusal;
  onClose: () => void;
}) {
  const client = useQueryClient();
  const { queryKey } = clustersQuery();
  const accepting = useMutation({
    mutationFn: () =>
      apiFetch('POST /api/clusters/{name}/accept', {
        params: { name },
        body: { refusal },
        idempotencyKey: crypto.randomUUID(),
      }),
    onSuccess: (list) => {
      client.setQueryData(queryKey, rememberClusters(list));
      showToast({ title: `${title} is accepted`, body: 'Shiplog begins to read it.', tone: 'good' });
      onClose();
    },
    onError: () => void client.invalidateQueries({ queryKey }),
  });
  return (
    <Dialog
      open
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
      size="small"
      title={`Accept ${title}`}
      footer={
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button tone="primary" disabled={accepting.isPending} onClick={() => accepting.mutate()}>
            {accepting.isPending ? 'Accepting…' : `Accept ${title}`}
          </Button>
        </DialogActions>
      }
    >
      <DialogSection>
        <p className="text-ink-2">{acceptanceText(name, refusal)}</p>
        <ClaimFacts refusal={refusal} server={server} />
        {accepting.isError && (
          <Notice tone="refused" title="It is not accepted." className="mt-3">
            {messageOf(accepting.error)}
          </Notice>
        )}
      </DialogSection>
    </Dialog>
  );
}
