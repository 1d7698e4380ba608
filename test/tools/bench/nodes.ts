/**
 * `npm run bench -- --nodes 3`: plain calls in turn to several nodes on one PostgreSQL database, of
 * one rich account and of many with modest balances, whose calls spread over the nodes. The server's
 * CPU time is that of the backends that serve the nodes; it must run on this machine.
 */
import { emptyDatabase } from '../../support/databases.ts';
import { backendsCpuUs } from './environment/backends.ts';
import {
  ACCOUNTS,
  accountsOf,
  interleaved,
  sideOf,
  startMock,
  startNodes,
  verifyLedger,
} from './environment/environment.ts';
import { FULL, plainCalls, QUICK, type Size } from './parts.ts';

/** Rounds in which each account calls each node once, so that later ones meet what is kept. */
const WARM_UPS = 3;

export async function measureNodes(nodes: number, isQuick: boolean): Promise<void> {
  const { rounds } = isQuick ? QUICK : FULL;
  const size = { rounds, calls: nodes * ACCOUNTS, warmUps: WARM_UPS };
  const mock = await startMock();
  try {
    console.table(await callsOnPostgres(mock.url, nodes, size));
  } finally {
    await mock.stop();
  }
}

/**
 * Plain calls on PostgreSQL, of one rich account and of many with modest balances. The server's CPU
 * time is that of the backends that serve the nodes; it must run on this machine.
 */
export async function callsOnPostgres(
  upstream: string,
  nodes: number,
  { rounds, calls, warmUps }: Pick<Size, 'rounds' | 'calls' | 'warmUps'>,
) {
  const database = await emptyDatabase('postgres');
  try {
    const options = { databaseUrl: database.dsn, withPairs: false, accounts: ACCOUNTS };
    const [gateway, ...others] = await startNodes(upstream, nodes, options);
    if (gateway === undefined) throw new Error('at least one node is needed');
    const pids = [gateway, ...others].flatMap((node) => node.pids);
    const urls = others.map(({ url }) => url);
    const sides = [sideOf('rich', gateway), accountsOf('accounts', gateway)].map((side) => ({
      ...side,
      pids,
      target: { ...side.target, others: urls },
    }));
    try {
      const rows = await interleaved(
        sides,
        { rounds, warmUps },
        async (target) => {
          const startedMs = performance.now();
          const backendsUs = await backendsCpuUs(database.db, () => plainCalls(target, calls));
          return { backendsUs, seconds: (performance.now() - startedMs) / 1_000 };
        },
        ({ backendsUs, seconds }, cpuUs) => ({
          cpu_us_per_call: (cpuUs + backendsUs) / calls,
          node_us_per_call: cpuUs / calls,
          backends_us_per_call: backendsUs / calls,
          calls_per_second: calls / seconds,
        }),
      );
      await verifyLedger(gateway, `calls on ${nodes} nodes and PostgreSQL`);
      return rows;
    } finally {
      for (const node of [...others, gateway]) await node.stop();
    }
  } finally {
    await database.drop();
  }
}
