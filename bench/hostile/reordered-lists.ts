import type { Hostile } from '@/bench/hostile/environment';
import { count } from '@/bench/support/figure';
import type { JsonObject } from '@/lib/kube/json';
import { Keys } from '@/server/shared/keys';

const keys = new Keys(Buffer.alloc(32, 7));

export const reorderedLists: readonly Hostile[] = [5_000, 10_000].map((variables) => ({
  what: `${count(variables)} variables in reverse order, each with another value`,
  run: () => keys.mask.diff(template(variables), template(variables, true)),
}));

function template(variables: number, isReversed = false): JsonObject {
  const env = Array.from({ length: variables }, (_, index) => ({
    name: `SETTING_${index}`,
    value: `${index} ${isReversed ? 'after' : 'before'}`,
  }));
  return {
    metadata: { labels: { app: 'shop' } },
    spec: {
      containers: [
        { name: 'shop', image: 'registry.example.com/shop:1.4.2', env: isReversed ? env.reverse() : env },
      ],
    },
  };
}
