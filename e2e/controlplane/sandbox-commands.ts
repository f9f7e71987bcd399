import type { BehaviourImages } from '@/e2e/controlplane/stages';

/** Messages of a test to the sandbox process that it started. */
export type SandboxCommand =
  | {
      readonly do: 'start';
      readonly nodes: number;
      readonly nodeCapacity: Record<string, string>;
      readonly behaviours: BehaviourImages;
      readonly controllers: boolean;
      /** Path of the audit log, one line of JSON for each stage of a request. */
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
  | { readonly do: 'renewCertificate' }
  | { readonly do: 'forgetHistory' };

export interface SandboxMessage {
  readonly id: number;
  readonly command: SandboxCommand;
}

/** Address and credentials of a started sandbox. */
export interface SandboxAddress {
  readonly url: string;
  /** PEM */
  readonly ca: string;
  readonly tokens: Readonly<Record<string, string>>;
}

/** `address` answers `start` and `renewCertificate`; the others have an empty answer. */
export interface SandboxReply {
  readonly id: number;
  readonly address?: SandboxAddress;
  /** The error message. */
  readonly error?: string;
}
