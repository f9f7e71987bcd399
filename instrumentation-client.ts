export { onOpenPage as onRouterTransitionStart } from '@/components/ui/address-adapter';
