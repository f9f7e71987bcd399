'use client';

import { useEffect } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { createInvalidation } from '@/components/shell/invalidation';
import type { StreamEvent } from '@/components/shell/stream-event';
import { shareStream } from '@/components/shell/stream-share';
import { openSource } from '@/components/shell/stream-source';
import { getConnection, isStale, updateClusters, updateConnection } from '@/components/ui/connection';
import { useSession } from '@/components/shell/session';
import { clustersQuery } from '@/components/queries/cluster';

/** Refreshes the page on changes of the cluster; mounted once, renders nothing. */
export function Stream() {
  const client = useQueryClient();
  const { signIns } = useSession();

  useEffect(() => {
    const invalidation = createInvalidation(client, () => document.hidden);
    const onVisible = () => document.hidden || invalidation.onVisible();
    document.addEventListener('visibilitychange', onVisible);

    function onEvent(event: StreamEvent) {
      switch (event.type) {
        case 'change':
          return invalidation.onKeys(event.keys);
        case 'resync':
          return invalidation.onResync();
        case 'opened':
          return invalidation.onOpened();
        case 'link':
          updateConnection({ link: event.link, linkSinceMs: event.sinceMs });
          // It may have been cut off because the session is over: then the answer says so.
          if (event.link === 'lost') void client.invalidateQueries({ queryKey: clustersQuery().queryKey });
          return markStale();
        case 'state': {
          updateClusters(
            Object.fromEntries(
              Object.entries(event.state.clusters).map(([id, { connection }]) => {
                const { state, observedAt, message } = connection;
                return [id, { cluster: state, observedAt, message }];
              }),
            ),
          );
          void client.invalidateQueries({ queryKey: clustersQuery().queryKey });
          return markStale();
        }
        default:
          return event satisfies never;
      }
    }

    const leaveStream = shareStream(onEvent, {
      open: (emit) => openSource('/api/stream', emit),
      locks: 'locks' in navigator ? navigator.locks : undefined,
      createChannel: 'BroadcastChannel' in window ? (name) => new BroadcastChannel(name) : undefined,
      document,
    });
    return () => {
      document.removeEventListener('visibilitychange', onVisible);
      leaveStream();
    };
  }, [client, signIns]);

  return null;
}

/** For the style sheet: pauses animations. */
function markStale(): void {
  document.documentElement.dataset.stale = String(isStale(getConnection()));
}
