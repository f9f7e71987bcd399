import packageJson from '@/package.json' with { type: 'json' };

/** Version of this build; the API server logs and managedFields see `shiplog/<version>`. */
export const version: string = packageJson.version;
