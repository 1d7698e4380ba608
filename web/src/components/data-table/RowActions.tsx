import { useCellText } from '../../lib/text/cell-text.ts';
import { IconButton } from '../display/IconButton.tsx';
import classes from './cells.module.css';
import type { RowAction } from './columns.ts';
import { RowIcon } from './RowIcon.tsx';
import { openRowMenu, recordPress } from './row-menu.ts';

interface RowActionsProps {
  readonly actions: readonly RowAction[];
  /** The record's id: an open menu closes when its row is reused for another record. */
  readonly id: string | number;
  /** Puts all actions in the menu, as on cards. */
  readonly isFolded?: boolean;
}

/** A row's actions: the primary ones as icons, the rest in a menu. */
export function RowActions({ actions, id, isFolded = false }: RowActionsProps) {
  const icons = isFolded ? [] : actions.filter(({ isPrimary, icon }) => isPrimary && icon);
  const rest = actions.filter((action) => !icons.includes(action));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only stops clicks of its buttons from reaching the row
    // biome-ignore lint/a11y/useKeyWithClickEvents: the same
    <div className={classes.actions} onClick={(event) => event.stopPropagation()}>
      {icons.map((action) => (
        <IconAction key={action.key} action={action} />
      ))}
      {rest.length > 0 && <MoreButton key={id} actions={rest} />}
    </div>
  );
}

function IconAction({ action }: { readonly action: RowAction }) {
  const { label, icon, onClick, isDanger, refusal } = action;
  return (
    <IconButton
      label={label}
      hint={refusal}
      aria-disabled={refusal !== undefined || undefined}
      tone={isDanger && refusal === undefined ? 'red' : undefined}
      onClick={() => refusal === undefined && onClick?.()}
    >
      {icon}
    </IconButton>
  );
}

function MoreButton({ actions }: { readonly actions: readonly RowAction[] }) {
  const t = useCellText();
  return (
    <IconButton
      label={t('part.table.more')}
      data-hint={undefined}
      aria-haspopup="menu"
      aria-expanded={false}
      onMouseDown={(event) => recordPress(event.currentTarget)}
      onClick={(event) => openRowMenu(event.currentTarget, actions)}
    >
      <RowIcon name="dots" />
    </IconButton>
  );
}
