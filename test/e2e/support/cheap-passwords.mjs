/** Preloaded into gateways of tests, which hash hundreds of passwords: lowers the cost of scrypt. */
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const { scryptSync } = crypto;
crypto.scryptSync = (password, salt, length) => scryptSync(password, salt, length, { N: 1024 });
syncBuiltinESMExports();
