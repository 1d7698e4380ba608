// Loaded into a node (`--import`): its clock is ahead by CLUSTER_CLOCK_AHEAD_MS. Only `Date` is changed,
// which the gateway uses for the time; `performance.now()` and timers are unchanged.
const aheadMs = Number(process.env.CLUSTER_CLOCK_AHEAD_MS);
if (!Number.isFinite(aheadMs)) throw new Error('CLUSTER_CLOCK_AHEAD_MS is not a number');

const RealDate = Date;
const realNow = RealDate.now;
RealDate.now = () => realNow() + aheadMs;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) =>
    Reflect.construct(target, args.length === 0 ? [RealDate.now()] : args, newTarget),
  apply: () => new RealDate(RealDate.now()).toString(),
});
RealDate.prototype.constructor = globalThis.Date;
