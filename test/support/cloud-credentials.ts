/** Cloud credentials, and a fake upstream that accepts them and issues Google access tokens. */
import { generateKeyPairSync } from 'node:crypto';
import { type FakeUpstream, startFakeUpstream } from '../upstream/server.ts';
import { UPSTREAM_KEY } from './site.ts';

export const AWS_KEY = 'AKIAFAKEFAKE|secret/with+signs|us-east-1';
/** Temporary credentials: the session token is sent and signed. */
export const AWS_SESSION_KEY =
  'ASIAFAKEFAKE|other/secret|IQoJb3JpZ2luX2VjE-fake-token|eu-central-1';
export const BEDROCK_API_KEY = 'bedrock-api-key-fake|us-east-1';

/** The JSON of a service account of this project, with its own private key. */
export function serviceAccount(project: string): string {
  // Short, because making a long key takes a tenth of a second.
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
  return JSON.stringify({
    type: 'service_account',
    project_id: project,
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: `gateway@${project}.iam.gserviceaccount.com`,
    token_uri: 'https://oauth2.googleapis.com/token',
  });
}

export interface CloudUpstream {
  readonly upstream: FakeUpstream;
  readonly tokenUrl: string;
  /** A service account that the upstream accepts. */
  readonly account: string;
}

export async function aCloudUpstream(): Promise<CloudUpstream> {
  const account = serviceAccount('project-1');
  const keys = [UPSTREAM_KEY, AWS_KEY, AWS_SESSION_KEY, BEDROCK_API_KEY, account];
  const upstream = await startFakeUpstream({ keys });
  return { upstream, tokenUrl: `${upstream.url}/token`, account };
}
