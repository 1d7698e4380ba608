import { optionRowOf } from '../../../../../src/domain/options/registry.ts';
import classes from '../Settings.module.css';
import type { FormKey } from '../sections/tabs.ts';
import { OptionField } from './OptionField.tsx';

/** The fields of some options, two per row if there is space. */
export function OptionFields({ keys }: { readonly keys: readonly FormKey[] }) {
  if (keys.length === 0) return null;
  return (
    <div className={classes.fields}>
      {keys.map((key) => (
        <div key={key} data-wide={isWide(key) || undefined}>
          <OptionField option={key} />
        </div>
      ))}
    </div>
  );
}

function isWide(key: FormKey): boolean {
  const row = optionRowOf(key);
  if (row.type === 'text') return row.form === undefined || key === 'Logo' || key === 'SystemName';
  return ['lines', 'list', 'json'].includes(row.type);
}
