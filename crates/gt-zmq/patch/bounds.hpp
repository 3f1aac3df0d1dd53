// Bounds a message while it arrives. libzmq bounds single frames and counts whole messages, and so
// holds any number of frames of a message whose last frame does not come.

#ifndef GT_BOUNDS_HPP_INCLUDED
#define GT_BOUNDS_HPP_INCLUDED

#include <stddef.h>
#include <stdint.h>
#include <unordered_map>

namespace gt
{
// No message has more frames.
const size_t max_frames = 64;

// What has arrived of a message whose last frame has not.
struct partial_t
{
    size_t frames;
    size_t bytes;
};

// By the session it arrives in, which one thread of libzmq serves.
inline std::unordered_map<const void *, partial_t> &partials ()
{
    static thread_local std::unordered_map<const void *, partial_t> map;
    return map;
}

// Whether a message may go on with a frame of so many bytes.
inline bool fits (const void *session_, size_t bytes_, int64_t max_bytes_)
{
    const auto found = partials ().find (session_);
    if (found == partials ().end ())
        return true;
    const uint64_t bytes = found->second.bytes + bytes_;
    return found->second.frames < max_frames
           && (max_bytes_ < 0 || bytes <= static_cast<uint64_t> (max_bytes_));
}

// A frame has been taken in.
inline void count (const void *session_, size_t bytes_, bool more_)
{
    if (!more_) {
        partials ().erase (session_);
        return;
    }
    partial_t &partial = partials ()[session_];
    partial.frames += 1;
    partial.bytes += bytes_;
}

// The rest of a message will not come.
inline void forget (const void *session_)
{
    partials ().erase (session_);
}
}

#endif
