import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type CustomKind } from '@/sandbox/controllers/engine/custom-kind';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';

export type Component = {
  name: string;
  type: string;
  properties?: JsonObject;
  traits?: { type: string; properties?: JsonObject }[];
};

export type ApplicationSpec = JsonObject & {
  components: Component[];
  policies?: { name: string; type: string; properties?: JsonObject }[];
};

export type LatestRevision = { name: string; revision: number; revisionHash: string };

export type WorkflowStatus = {
  appRevision: string;
  mode: string;
  status: string;
  suspend: boolean;
  terminated: boolean;
  finished: boolean;
  startTime: string;
  endTime?: string;
  steps: { id: string; name: string; type: string; phase: string }[];
};

export type ApplicationStatus = {
  status?: string;
  observedGeneration?: number;
  latestRevision?: LatestRevision;
  workflow?: WorkflowStatus;
  services?: JsonObject[];
  appliedResources?: JsonObject[];
};

export interface Application extends KubeObject {
  spec: ApplicationSpec;
  status: ApplicationStatus;
}

export type RevisionSpec = JsonObject & { compression?: { type: string; data?: string } };

export interface ApplicationRevision extends KubeObject {
  spec: RevisionSpec;
  status: { succeeded?: boolean; workflow?: WorkflowStatus };
}

/** The kinds of KubeVela that the sandbox supports. */
export interface KubevelaKinds {
  readonly applications: CustomKind<Application>;
  readonly revisions: CustomKind<ApplicationRevision>;
  readonly componentDefinitions: CustomKind<KubeObject>;
  readonly traitDefinitions: CustomKind<KubeObject>;
}

export function followKubevela(manager: ControllerManager): KubevelaKinds {
  return {
    applications: manager.follow('applications.core.oam.dev'),
    revisions: manager.follow('applicationrevisions.core.oam.dev'),
    componentDefinitions: manager.follow('componentdefinitions.core.oam.dev'),
    traitDefinitions: manager.follow('traitdefinitions.core.oam.dev'),
  };
}

/** https://github.com/kubevela/kubevela/blob/master/pkg/oam/labels.go */
export const APP_NAME = 'app.oam.dev/name';
export const APP_NAMESPACE = 'app.oam.dev/namespace';
export const COMPONENT = 'app.oam.dev/component';
export const APP_REVISION = 'app.oam.dev/appRevision';
export const REVISION_HASH = 'app.oam.dev/app-revision-hash';
export const PUBLISH_VERSION = 'app.oam.dev/publishVersion';
export const CONTROLLER_REQUIRED = 'app.oam.dev/controller-version-require';

/** Undefined where the annotation is missing or empty. */
export function publishVersionOf({ metadata }: Pick<KubeObject, 'metadata'>): string | undefined {
  return metadata.annotations?.[PUBLISH_VERSION] || undefined;
}
