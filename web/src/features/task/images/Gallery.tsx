import { Group, Text, UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { RelativeTime } from '../../../components/display/RelativeTime.tsx';
import type { Drawing } from '../calls.ts';
import { DrawingState } from '../cells.tsx';
import classes from '../Task.module.css';
import { mediaUrl } from './media.ts';
import { Picture } from './Picture.tsx';

interface GalleryProps {
  readonly drawings: readonly Drawing[];
  readonly onOpen: (drawing: Drawing) => void;
}

/** The page's image tasks as a gallery. */
export function Gallery({ drawings, onOpen }: GalleryProps) {
  const { t } = useTranslation();
  return (
    <div className={classes.gallery}>
      {drawings.map((drawing) => {
        const address = mediaUrl(drawing.image_url);
        return (
          <article key={drawing.id} aria-label={drawing.prompt}>
            {address === '' ? (
              <div className={classes.tile}>
                <Picture address="" iconSize={32} />
              </div>
            ) : (
              <UnstyledButton
                className={classes.tile}
                aria-label={t('task.image.open', { id: drawing.mj_id })}
                onClick={() => onOpen(drawing)}
              >
                <Picture address={address} iconSize={32} />
              </UnstyledButton>
            )}
            <Text size="sm" truncate mt={6} title={drawing.prompt}>
              {drawing.prompt || '-'}
            </Text>
            <Group justify="space-between" gap={4} mt={2}>
              <DrawingState status={drawing.status} />
              <Text size="xs" c="dimmed">
                <RelativeTime at={drawing.submit_time / 1000} />
              </Text>
            </Group>
          </article>
        );
      })}
    </div>
  );
}
