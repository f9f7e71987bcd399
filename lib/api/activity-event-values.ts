export const eventKinds = ['review', 'signIn'] as const;
