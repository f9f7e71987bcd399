import 'server-only';
import type { Archive } from '@/server/archive/archive';

/** The archive whose methods, those of its repositories too, are called by `around`. */
export function intercept(archive: Archive, around: (name: string, call: () => unknown) => unknown): Archive {
  return wrap(archive);

  function wrap<Target extends object>(whole: Target): Target {
    return new Proxy(whole, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name, target);
        if (typeof member === 'object' && member !== null) return wrap(member);
        if (typeof member !== 'function') return member;
        return (...given: unknown[]) =>
          around(String(name), () => Reflect.apply(member, target, given) as unknown);
      },
    });
  }
}
