import * as z from 'zod';

/** A path exactly as it is, including spaces at its ends. No operating system has longer paths. */
export const FilePath = z.string().min(1).max(4_096);
