import packageJson from '../package.json' with { type: 'json' };

/** The package's version: shown by the CLI, `/api/status` and the schema check. */
export const VERSION: string = packageJson.version;
