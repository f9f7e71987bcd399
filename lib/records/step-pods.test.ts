import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addPods, countPods, type StepPodList, PODS_MAX, refreshPods, uidsOf } from '@/lib/records/step-pods';
import type { StepPod } from '@/lib/api/record';

const pod = (uid: number, name = `pod-${uid}`): StepPod => ({
  ...{ name, uid: `uid-${uid}`, ip: null, node: null, readyAt: null, restarts: 0 },
});

test('lists the first 200 and counts every other pod once, however often it is observed', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 8 }), (looks) => {
      let list: StepPodList = { pods: [] };
      let next = 0;
      const there: StepPod[] = [];
      for (const arrived of looks) {
        for (let at = 0; at < arrived; at += 1) there.push(pod(next++));
        const known = new Set(uidsOf(list));
        list = refreshPods(list, new Map(there.map((each) => [each.uid, each])));
        list = addPods(
          list,
          there.filter(({ uid }) => !known.has(uid)),
        );
      }
      expect(countPods(list)).toBe(next);
      expect(list.pods).toHaveLength(Math.min(next, PODS_MAX));
      expect(new Set(uidsOf(list)).size).toBe(next);
    }),
  );
});

test('has a name once: of a pod that is created repeatedly the last one is listed, with a count', () => {
  const list = [0, 1, 2, 3].reduce<StepPodList>((sum, uid) => addPods(sum, [pod(uid, 'qwen-1')]), {
    pods: [],
  });
  expect(list).toMatchObject({ pods: [{ uid: 'uid-3' }], more: 3 });
});

test('drops the uids of deleted pods, and keeps their number', () => {
  const full = addPods(
    { pods: [] },
    Array.from({ length: PODS_MAX + 2 }, (_, uid) => pod(uid)),
  );
  const last = pod(PODS_MAX + 1);
  expect(refreshPods(full, new Map([[last.uid, last]]))).toMatchObject({ more: 2, unlisted: [last.uid] });
});
