/** `npm run bench -- --budgets`: what two budgets of money cost a plain call, on SQLite. */
import {
  type Gateway,
  interleaved,
  sideOf,
  startGateway,
  startMock,
  verifyLedger,
} from './environment/environment.ts';
import { plainCalls } from './parts.ts';

const CALLS = 2_000;
/** Calls that wait together share a commit; one at a time has its own. */
const AT_ONCE = [32, 1] as const;

export async function measureBudgets(quick: boolean): Promise<void> {
  const mock = await startMock();
  const start = (withBudgets: boolean) => startGateway(mock.url, { withPairs: false, withBudgets });
  const gateways: Gateway[] = [];
  try {
    for (const withBudgets of [false, true]) gateways.push(await start(withBudgets));
    const sides = gateways.map((gateway, at) => sideOf(at === 0 ? 'none' : 'two budgets', gateway));
    for (const atOnce of AT_ONCE) {
      const calls = atOnce === 1 ? CALLS / 4 : CALLS;
      const figures = await interleaved(
        sides,
        quick ? { rounds: 3, warmUps: 2 } : { rounds: 21, warmUps: 6 },
        (target) => plainCalls(target, calls, atOnce),
        (_, cpuUs) => ({ cpu_us_per_call: cpuUs / calls }),
      );
      console.log(`${atOnce} at once`, figures);
    }
    for (const gateway of gateways) await verifyLedger(gateway, 'calls under budgets');
  } finally {
    for (const gateway of gateways) await gateway.stop();
    await mock.stop();
  }
}
