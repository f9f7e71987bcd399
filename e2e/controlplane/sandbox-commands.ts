import { type BehaviourImages } from '@/e2e/controlplane/stages';

/** What the process of a sandbox is told by the test that started it. */
export type SandboxCommand =
  | {
      readonly do: 'start';
      readonly nodes: number;
      readonly nodeCapacity: Record<string, string>;
      readonly behaviours: BehaviourImages;
      readonly controllers: boolean;
      /** Where every request is written, one line of JSON for each of its stages. */
      readonly auditFile: string;
    }
  | {
      readonly do: 'setLog';
      readonly namespace: string;
      readonly pod: string;
      readonly container: string;
      readonly text: string;
    }
  | { readonly do: 'suspend' }
  | { readonly do: 'resume' }
  | { readonly do: 'forgetHistory' };

export interface SandboxMessage {
  readonly id: number;
  readonly command: SandboxCommand;
}

/** How to reach a sandbox that has started. */
export interface SandboxAddress {
  readonly url: string;
  /** PEM */
  readonly ca: string;
  readonly tokens: Readonly<Record<string, string>>;
}

/** `address` answers `start`; the others answer with nothing. */
export interface SandboxReply {
  readonly id: number;
  readonly address?: SandboxAddress;
  /** What went wrong. */
  readonly error?: string;
}
