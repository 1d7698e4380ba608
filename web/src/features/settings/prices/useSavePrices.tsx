import { useTranslation } from 'react-i18next';
import { confirm } from '../../../components/layout/confirm.tsx';
import { toast } from '../../../components/layout/toasts.tsx';
import { MapDiff } from '../sections/DiffTable.tsx';
import { mapChanges } from '../sections/draft.ts';
import { useSettings } from '../sections/settings-store.ts';
import { PRICE_MAPS, type PriceEdit, type PriceMap, withEdits } from './price-edits.ts';

type Texts = Readonly<Partial<Record<PriceMap, string>>>;

/** Saves prices after the user has confirmed the differences; true if all were saved. */
export function useSavePrices() {
  const { t } = useTranslation();
  const { text, stored, save } = useSettings();

  const saveTexts = async (texts: Texts, title = t('setting.diff.title')): Promise<boolean> => {
    const changes = PRICE_MAPS.flatMap((key) =>
      mapChanges(key, stored.get(key) ?? '', texts[key] ?? text(key)),
    );
    if (changes.length > 0) {
      const isSure = await confirm({
        title,
        text: <MapDiff changes={changes} />,
        verb: t('setting.diff.verb', { count: changes.length }),
      });
      if (!isSure) return false;
    }
    return save(PRICE_MAPS, texts);
  };

  const saveEdits = async (edits: ReadonlyMap<string, PriceEdit>): Promise<boolean> => {
    const now = {
      ModelPrice: text('ModelPrice'),
      ModelRatio: text('ModelRatio'),
      CompletionRatio: text('CompletionRatio'),
    };
    const next = withEdits(now, edits);
    if (next !== undefined) return saveTexts(next);
    toast.error(t('setting.checkInput'));
    return false;
  };

  return { saveTexts, saveEdits };
}
