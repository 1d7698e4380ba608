import { freshDatabase } from '../databases.ts';
import { openDatabases } from '../../src/store/db.ts';
import { createBooks } from '../../src/services/books.ts';
import { createLogger } from '../../src/log.ts';
import { hold, close } from './operations.ts';
for (const kind of ['postgres','mysql'] as const) {
  const a = await freshDatabase(kind); const b = await openDatabases(a.dsn);
  for (let i=0;i<40;i++) { await a.db('users').insert({username:'u'+i, quota: 1e9}); await a.db('tokens').insert({user_id:i+1,key_hash:'h'+i,key_cipher:'c',name:'n',remain_quota:1e9,created_time:1}); }
  const books=[createBooks(a,createLogger('error')),createBooks(b,createLogger('error'))];
  let failed=0, n=0; const t=Date.now();
  const lat:number[]=[];
  await Promise.all(Array.from({length:64},async(_,w)=>{ const bk=books[w%2]!; for(let i=0;i<40;i++){ const acc={userId:1+Math.floor(Math.random()*40),tokenId:0}; acc.tokenId=acc.userId; const h=hold(acc,10,{tokenUnits:10}); const t0=performance.now(); try{ await bk.hold(h); const t1=performance.now(); lat.push(t1-t0); await new Promise(r=>setTimeout(r,Math.random()*10)); const t2=performance.now(); await bk.close(close(h,5)); lat.push(performance.now()-t2); n++;}catch(e){failed++;} } }));
  lat.sort((x,y)=>x-y);
  const dl = kind==='postgres' ? (await new Promise(r=>setTimeout(r,1500)), (await a.db.raw("select deadlocks from pg_stat_database where datname=current_database()")).rows) : (await a.db.raw("show global status like 'Innodb_deadlocks'"))[0];
  console.log(kind, n, failed, Date.now()-t,'ms', 'p50',lat[lat.length>>1]?.toFixed(1),'p99',lat[Math.floor(lat.length*.99)]?.toFixed(1),'max',lat.at(-1)?.toFixed(1), JSON.stringify(dl));
  await b.close(); await a.drop();
}
