import { type KubeObject } from '@/lib/kube/object';
import { type PodCondition } from '@/sandbox/controllers/objects/pod';

export type Taint = { key: string; value?: string; effect: string };

export type NodeSpec = { unschedulable?: boolean; taints?: Taint[]; podCIDR?: string };

type NodeStatus = {
  capacity?: Record<string, number | string>;
  allocatable?: Record<string, number | string>;
  addresses?: { type: string; address: string }[];
  conditions?: PodCondition[];
  nodeInfo?: Record<string, string>;
};

export interface KubeNode extends KubeObject {
  spec: NodeSpec;
  status: NodeStatus;
}
