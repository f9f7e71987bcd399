import packageJson from '@/package.json' with { type: 'json' };

/** Version of this build; the API server's logs and managedFields show `shiplog/<version>`. */
export const version: string = packageJson.version;
