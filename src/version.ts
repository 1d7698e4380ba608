import packageJson from '../package.json' with { type: 'json' };

/** The package's version: shown by the CLI, `/api/status` and the schema check. */
export const VERSION: string = packageJson.version;

/** The Node versions that the package requires, e.g. `>=20.19`. */
export const NODE_RANGE: string = packageJson.engines.node;
